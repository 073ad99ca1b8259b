package dev.quire.test;

/** The failure of a {@link LeakDetector}; its message is the complete report. */
public final class LeaksFound extends AssertionError {
    private static final long serialVersionUID = 1;

    private final transient LeakReport report;

    LeaksFound(LeakReport report) {
        super(report.text());
        this.report = report;
    }

    public LeakReport report() {
        return report;
    }
}
