package dev.quire.core.policy;

import org.jspecify.annotations.Nullable;

/**
 * How to handle one request, with the reason for logs, metrics and {@code Cache-Status}.
 *
 * @param <S> the stored response
 */
public sealed interface CacheDecision<S> {

    /** Respond with a stored response. */
    sealed interface FromStore<S> extends CacheDecision<S> {
        @Override
        S stored();
    }

    /** Send a request to the origin. */
    sealed interface FromOrigin<S> extends CacheDecision<S> {}

    /** Returns the stored response it uses, or null. */
    @Nullable S stored();

    /** Serve the stored response, which is fresh. */
    record Hit<S>(S stored) implements FromStore<S> {}

    /** Serve the stale stored response and refresh it in the background (RFC 5861 §3). */
    record StaleHit<S>(S stored) implements FromStore<S> {}

    /** Validate the stored response with the origin (RFC 9111 §4.3). */
    record Revalidate<S>(S stored, RevalidateReason reason) implements FromOrigin<S> {}

    /**
     * Fetch, and store the response if allowed.
     *
     * @param stored the response to be replaced, or null
     */
    record Miss<S>(MissReason reason, @Nullable S stored) implements FromOrigin<S> {
        public Miss(MissReason reason) {
            this(reason, null);
        }
    }

    /** Forward without storing or coalescing. */
    record Pass<S>(PassReason reason) implements FromOrigin<S> {
        @Override
        public @Nullable S stored() {
            return null;
        }
    }

    /** Respond with 504: none is usable, and the client sent only-if-cached (RFC 9111 §5.2.1.7). */
    record Decline<S>() implements CacheDecision<S> {
        @Override
        public @Nullable S stored() {
            return null;
        }
    }

    /** Returns its name in logs and metrics. */
    default String label() {
        return switch (this) {
            case Hit<S> hit -> "hit";
            case StaleHit<S> stale -> "stale-hit";
            case Revalidate<S> old -> "revalidate";
            case Miss<S> miss -> "miss";
            case Pass<S> pass -> "pass";
            case Decline<S> decline -> "decline";
        };
    }

    /** Returns its reason in logs and metrics. */
    default String reasonLabel() {
        return switch (this) {
            case Hit<S> hit -> "fresh";
            case StaleHit<S> stale -> "grace";
            case Revalidate<S> old -> old.reason().label();
            case Miss<S> miss -> miss.reason().label();
            case Pass<S> pass -> pass.reason().label();
            case Decline<S> decline -> "only-if-cached";
        };
    }

    /** Returns why the request is forwarded to the origin; null if it is not. */
    default @Nullable ForwardReason forwardReason() {
        return switch (this) {
            case Hit<S> hit -> null;
            case StaleHit<S> stale -> null;
            case Revalidate<S> old -> old.reason().forwardReason();
            case Miss<S> miss -> miss.reason().forwardReason();
            case Pass<S> pass -> pass.reason().forwardReason();
            case Decline<S> decline -> null;
        };
    }

    /** Why a stored response must be validated. */
    enum RevalidateReason {
        /** It is stale past its grace. */
        STALE("stale", ForwardReason.STALE),
        /** The origin requires validation before every reuse. */
        NO_CACHE("no-cache", ForwardReason.STALE),
        /** It is fresh, but does not meet the client's directives. */
        REQUEST("request", ForwardReason.REQUEST),
        /** It is fresh, but other proxies may have invalidated it. */
        BEHIND("behind", ForwardReason.STALE);

        private final String label;
        private final ForwardReason forwardReason;

        RevalidateReason(String label, ForwardReason forwardReason) {
            this.label = label;
            this.forwardReason = forwardReason;
        }

        ForwardReason forwardReason() {
            return forwardReason;
        }

        /** Returns the label in logs and metrics. */
        public String label() {
            return label;
        }
    }

    /** Why no stored response can be served. */
    enum MissReason {
        /** Nothing is stored under the key. */
        URI_MISS("uri-miss", ForwardReason.URI_MISS),
        /** Only responses with other selecting fields are stored under the key. */
        VARY_MISS("vary-miss", ForwardReason.VARY_MISS),
        /** The stored response is stale past its grace and has no validator. */
        STALE("stale", ForwardReason.STALE),
        /** The stored response is fresh, but fails the client's directives and has no validator. */
        REQUEST("request", ForwardReason.REQUEST);

        private final String label;
        private final ForwardReason forwardReason;

        MissReason(String label, ForwardReason forwardReason) {
            this.label = label;
            this.forwardReason = forwardReason;
        }

        ForwardReason forwardReason() {
            return forwardReason;
        }

        /** Returns the label in logs and metrics. */
        public String label() {
            return label;
        }
    }

    /** Why a request bypasses the cache. */
    enum PassReason {
        /** Neither GET nor HEAD. */
        METHOD("method", ForwardReason.METHOD),
        /** A GET or HEAD with a body. */
        BODY("body", ForwardReason.BYPASS),
        /** The last response for the key could not be stored; see hit-for-miss. */
        HIT_FOR_MISS("hit-for-miss", ForwardReason.MISS),
        /** A HEAD without a usable stored response: its response has no body to store. */
        HEAD("head", ForwardReason.MISS),
        /** A condition only the origin can evaluate: If-Match, If-Unmodified-Since. */
        CONDITION("condition", ForwardReason.BYPASS),
        /** A range request on a route where ranges are passed through. */
        RANGE("range", ForwardReason.MISS),
        /** The client, or the page that includes the fragment, forbids storing the response. */
        NO_STORE("no-store", ForwardReason.BYPASS),
        /** The client asks for a tunnel. */
        UPGRADE("upgrade", ForwardReason.BYPASS),
        /** A rule demands it, or chooses an origin by a value that the key does not contain. */
        RULE("rule", ForwardReason.BYPASS);

        private final String label;
        private final ForwardReason forwardReason;

        PassReason(String label, ForwardReason forwardReason) {
            this.label = label;
            this.forwardReason = forwardReason;
        }

        ForwardReason forwardReason() {
            return forwardReason;
        }

        /** Returns the label in logs and metrics. */
        public String label() {
            return label;
        }
    }
}
