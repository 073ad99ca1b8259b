package dev.quire.proxy.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.quire.proxy.log.RecordedLog;
import org.junit.jupiter.api.Test;
import org.slf4j.event.LoggingEvent;

class InternalErrorsTest {
    private final Throwable fault = new IllegalStateException("expected none");

    /** A log without memory. */
    private static final class BrokenLog extends RecordedLog {
        private static final long serialVersionUID = 1;
        boolean isBroken = true;

        @Override
        public void log(LoggingEvent event) {
            if (isBroken) {
                throw new OutOfMemoryError("expected memory");
            }
            super.log(event);
        }
    }

    @Test
    void faultsOfOneStepAreLoggedOnceInAMinute() {
        var log = new RecordedLog();
        var errors = new InternalErrors(log, "a step failed");

        errors.add(fault);
        errors.add(fault);

        assertThat(log.lines())
                .singleElement()
                .asString()
                .contains("ERROR internal-error", "a step failed", "expected none");
    }

    @Test
    void faultThatCannotBeLoggedLeavesTheNextToBeLogged() {
        var log = new BrokenLog();
        var errors = new InternalErrors(log, "a step failed");

        errors.add(fault);
        log.isBroken = false;
        errors.add(fault);

        assertThat(log.lines()).hasSize(1);
    }

    @Test
    void faultOfARequestIsLoggedEachTimeAndNeverThrows() {
        var log = new BrokenLog();
        assertThatCode(() -> InternalErrors.log(log, fault, "{} failed", "GET /"))
                .doesNotThrowAnyException();

        log.isBroken = false;
        InternalErrors.log(log, fault, "{} failed", "GET /");
        InternalErrors.log(log, fault, "{} failed", "GET /");

        assertThat(log.lines()).hasSize(2).allMatch(line -> line.contains("GET / failed"));
    }
}
