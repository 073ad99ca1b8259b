package dev.quire.proxy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.config.HostPort;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PortProbeTest {

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new IOException("Address already in use"), "is in use"),
                Arguments.of(new IOException("Permission denied"), "is not permitted"),
                Arguments.of(
                        new IOException("Cannot assign requested address"),
                        "is not an address of this machine"),
                Arguments.of(
                        new IOException(new UnresolvedAddressException()), "cannot be resolved"),
                Arguments.of(new UnknownHostException("none.invalid"), "cannot be resolved"),
                Arguments.of(new IOException("broken"), "cannot be bound: broken"),
                Arguments.of(
                        new IOException(new IllegalStateException()),
                        "cannot be bound: IllegalStateException"));
    }

    /** Not all exceptions have a message. */
    @ParameterizedTest
    @MethodSource("failures")
    void aFailureIsNamedInWords(IOException failure, String expected) {
        var problem = PortProbe.because("listen.http", new HostPort("none.invalid", 1), failure);

        assertThat(problem)
                .asString()
                .startsWith("listen.http: none.invalid:1 " + expected + " (expected ");
    }
}
