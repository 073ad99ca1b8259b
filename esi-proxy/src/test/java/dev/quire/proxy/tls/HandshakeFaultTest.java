package dev.quire.proxy.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateNotYetValidException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class HandshakeFaultTest {
    private static Throwable caused(Throwable by) {
        var outer = new SSLHandshakeException("General OpenSslEngine problem");
        outer.initCause(by);
        return outer;
    }

    @Test
    void faultOfTheCertificateIsFoundBelowThatOfTheEngine() {
        assertThat(HandshakeFault.words(caused(new CertificateNotYetValidException("x"))))
                .isEqualTo("its certificate is not valid yet");
        assertThat(
                        HandshakeFault.words(
                                caused(new CertificateException(OriginTrust.OTHER_NAMES + ": x"))))
                .isEqualTo("its certificate is for other names");
        assertThat(
                        HandshakeFault.words(
                                caused(
                                        new CertificateException(
                                                new CertPathValidatorException(
                                                        "expired",
                                                        null,
                                                        null,
                                                        -1,
                                                        CertPathValidatorException.BasicReason
                                                                .EXPIRED)))))
                .isEqualTo("its certificate, or one of its chain, has expired");
        assertThat(HandshakeFault.words(new ClosedChannelException()))
                .isEqualTo("it closed the connection");
    }

    @Test
    void alertsAreInWords() {
        assertThat(HandshakeFault.words(alert("TLSV1_ALERT_PROTOCOL_VERSION")))
                .isEqualTo("it speaks no version of TLS that this proxy does (1.2 and 1.3)");
        assertThat(HandshakeFault.words(alert("TLSV1_CERTIFICATE_REQUIRED")))
                .contains("may require a certificate of this proxy (tls.cert)");
        assertThat(HandshakeFault.words(alert("TLSV1_UNRECOGNIZED_NAME")))
                .isEqualTo("tlsv1 unrecognized name");
    }

    private static SSLException alert(String name) {
        return new SSLHandshakeException("error:10000460:SSL routines:OPENSSL_internal:" + name);
    }

    /** A loop of causes ends. */
    @Test
    void causesOfEachOtherAreNoEndlessLoop() {
        var one = new IOException("one");
        var two = new IOException("two", one);
        one.initCause(two);

        assertThat(HandshakeFault.words(two)).isEqualTo("two");
    }
}
