package dev.quire.proxy.lint;

import dev.quire.core.parse.ParsedPage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The findings of one page.
 *
 * @param findings in page order
 * @param unlisted the number of further parser errors that were not kept
 */
public record PageLint(List<Finding> findings, int unlisted) {
    private static final Comparator<Finding> IN_PAGE_ORDER =
            Comparator.comparingInt(Finding::line).thenComparingInt(Finding::column);

    public PageLint {
        findings = List.copyOf(findings);
    }

    /** Parses {@code document} as the proxy and as a browser would. */
    public static PageLint of(PageDocument document) {
        var parser = document.type().parser();
        parser.feed(ByteBuffer.wrap(document.bytes()));
        ParsedPage page = parser.finish();

        var findings = new ArrayList<>(document.ofResponse());
        page.diagnostics().forEach(diagnostic -> findings.add(Finding.of(diagnostic)));
        findings.addAll(References.findings(page.nodes(), document.address()));
        switch (document.type()) {
            case HTML, XML ->
                    findings.addAll(
                            HtmlPlaces.findings(
                                    Remains.of(document.bytes(), page.nodes()),
                                    document.type() == PageType.XML));
            case TEXT, JSON -> {}
        }
        findings.sort(IN_PAGE_ORDER);
        return new PageLint(findings, page.errors() - page.diagnostics().size());
    }

    /** Returns the number of findings as text. */
    public String summary() {
        return switch (findings.size()) {
            case 0 -> "no findings";
            case 1 -> "1 finding";
            default ->
                    (findings.size() + unlisted)
                            + " findings"
                            + (unlisted > 0 ? ", not all listed" : "");
        };
    }
}
