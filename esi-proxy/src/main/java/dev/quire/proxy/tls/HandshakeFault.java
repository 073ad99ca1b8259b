package dev.quire.proxy.tls;

import dev.quire.proxy.exchange.PlainWords;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.PKIXReason;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Says in plain words why a handshake with a server has failed. */
public final class HandshakeFault {
    private static final int MAX_CAUSES = 8;

    private HandshakeFault() {}

    /** Returns the fault, for a log line. */
    public static String words(Throwable failure) {
        var cause = failure;
        for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
            var words = known(cause);
            if (words != null) {
                return words;
            }
            cause = cause.getCause();
        }
        return alert(PlainWords.of(failure));
    }

    /** The alert of the other end in words (RFC 8446 §6). */
    private static String alert(String message) {
        if (message.contains("PROTOCOL_VERSION")) {
            return "it speaks no version of TLS that this proxy does (1.2 and 1.3)";
        }
        if (message.contains("CERTIFICATE_REQUIRED") || message.contains("HANDSHAKE_FAILURE")) {
            return "it refused the handshake: it may require a certificate of this proxy (tls.cert),"
                    + " or has no cipher suite in common";
        }
        if (message.contains("UNKNOWN_CA")) {
            return "it does not know the authority of the certificate of this proxy (tls.cert)";
        }
        return message.replaceFirst("^.*SSL routines:OPENSSL_internal:", "")
                .toLowerCase(Locale.ROOT)
                .replace('_', ' ');
    }

    private static @Nullable String known(Throwable cause) {
        return switch (cause) {
            case CertificateExpiredException expired -> "its certificate has expired";
            case CertificateNotYetValidException early -> "its certificate is not valid yet";
            case CertPathBuilderException unknown ->
                    "its certificate is not issued by a known authority";
            case CertPathValidatorException invalid
                    when invalid.getReason() == CertPathValidatorException.BasicReason.EXPIRED ->
                    "its certificate, or one of its chain, has expired";
            case CertPathValidatorException invalid
                    when invalid.getReason() == PKIXReason.NO_TRUST_ANCHOR ->
                    "its certificate is not issued by a known authority";
            case CertPathValidatorException other when other.getCause() == null ->
                    "its certificate is not valid: " + PlainWords.of(other);
            case CertificateException other when isAboutName(other) ->
                    "its certificate is for other names";
            case ClosedChannelException closed -> "it closed the connection";
            default -> null;
        };
    }

    private static boolean isAboutName(CertificateException fault) {
        var message = String.valueOf(fault.getMessage());
        return message.startsWith(OriginTrust.OTHER_NAMES);
    }
}
