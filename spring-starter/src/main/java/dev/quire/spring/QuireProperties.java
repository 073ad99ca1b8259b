package dev.quire.spring;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How the application behaves towards surrogates.
 *
 * @param enabled whether any of this is active
 * @param trustedProxies addresses or CIDR blocks whose Surrogate-Capability field is believed
 * @param fallback assembly inside the application when no surrogate is in front
 * @param headers fields written for the surrogate
 * @param guard the check that keeps private responses out of shared caches
 */
@ConfigurationProperties("quire")
public record QuireProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue({"127.0.0.0/8", "::1/128"}) List<String> trustedProxies,
        @DefaultValue Fallback fallback,
        @DefaultValue Headers headers,
        @DefaultValue Guard guard) {

    public QuireProperties {
        trustedProxies = List.copyOf(trustedProxies);
    }

    /**
     * Assembly inside the application when no surrogate is in front.
     *
     * @param mode how fragments are fetched, or off to send pages with their tags
     * @param buffer most that is held of one page and its fragments; a larger page is an error
     */
    public record Fallback(
            @DefaultValue("dispatch") Fallback.Mode mode, @DefaultValue("8MB") DataSize buffer) {

        public Fallback {
            if (buffer.toBytes() < 1 || buffer.toBytes() > Integer.MAX_VALUE - 8) {
                throw new IllegalArgumentException(
                        "quire.fallback.buffer: %s is out of range (expected 1B to 2047MB)"
                                .formatted(buffer));
            }
        }

        /** How fragments are fetched. */
        public enum Mode {
            /** By the container's own dispatch, one after the other. */
            DISPATCH,
            /** Not at all: pages leave with their tags. */
            OFF
        }
    }

    /**
     * Fields written for the surrogate.
     *
     * @param tagHeader field that carries the tags; Cache-Tag parts them by commas, any other by
     *     blanks
     */
    public record Headers(@DefaultValue("Surrogate-Key") String tagHeader) {

        public Headers {
            if (!tagHeader.matches("[A-Za-z0-9-]+")) {
                throw new IllegalArgumentException(
                        "quire.headers.tag-header: '%s' is no field name (expected for example Surrogate-Key)"
                                .formatted(tagHeader));
            }
        }
    }

    /**
     * The check that keeps private responses out of shared caches.
     *
     * @param mode whether a response that cannot be public is made private, or refused, which suits
     *     tests
     * @param authenticated what to do when a public handler or its view asks who the user is
     * @param session what to do when a public handler or its view reads an existing session; what
     *     Spring itself keeps there, such as the locale, does not count
     * @param cookies what to do when a public handler or its view reads cookies; the locale's own
     *     does not count
     * @param debug whether the reason is shown in the field X-Quire-Guard
     */
    public record Guard(
            @DefaultValue("demote") Guard.Mode mode,
            @DefaultValue("demote") OnRead authenticated,
            @DefaultValue("demote") OnRead session,
            @DefaultValue("demote") OnRead cookies,
            @DefaultValue("false") boolean debug) {

        /** What becomes of a response that cannot be as public as declared. */
        public enum Mode {
            /** It is made private. */
            DEMOTE,
            /** It fails. */
            STRICT
        }

        /** What becomes of a public response whose handler or view reads what is one user's. */
        public enum OnRead {
            /** It is made private. */
            DEMOTE,
            /** It stays public, with a warning in the log. */
            WARN,
            /** It stays public. */
            OFF
        }
    }
}
