package dev.quire.core.policy;

import org.jspecify.annotations.Nullable;

/**
 * What to do about one request, with the reason that logs, metrics and {@code Cache-Status} print.
 *
 * @param <S> the stored response it speaks of
 */
public sealed interface CacheDecision<S> {

    /** Answer with a stored response. */
    sealed interface FromStore<S> extends CacheDecision<S> {
        @Override
        S stored();
    }

    /** Ask the origin. */
    sealed interface FromOrigin<S> extends CacheDecision<S> {}

    /** The stored response it uses, or null. */
    @Nullable S stored();

    /** Serve what is stored: it is fresh. */
    record Hit<S>(S stored) implements FromStore<S> {}

    /** Serve what is stored though stale, and refresh it meanwhile (RFC 5861 §3). */
    record StaleHit<S>(S stored) implements FromStore<S> {}

    /** Ask the origin whether what is stored still holds (RFC 9111 §4.3). */
    record Revalidate<S>(S stored, RevalidateReason reason) implements FromOrigin<S> {}

    /**
     * Fetch, and store if the answer allows it.
     *
     * @param stored what the answer replaces, or null
     */
    record Miss<S>(MissReason reason, @Nullable S stored) implements FromOrigin<S> {
        public Miss(MissReason reason) {
            this(reason, null);
        }
    }

    /** Forward; nothing stored answers this, and nobody waits for its answer. */
    record Pass<S>(PassReason reason) implements FromOrigin<S> {
        @Override
        public @Nullable S stored() {
            return null;
        }
    }

    /**
     * Answer 504: nothing stored will do, and the client wants nothing else (RFC 9111 §5.2.1.7).
     */
    record Decline<S>() implements CacheDecision<S> {
        @Override
        public @Nullable S stored() {
            return null;
        }
    }

    /** Its name, as logs and metrics print it. */
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

    /** Its reason, as logs and metrics print it. */
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

    /** Why the request goes on to the origin; null if it does not. */
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
        /** The origin wants to be asked every time. */
        NO_CACHE("no-cache", ForwardReason.STALE),
        /** It is fresh, but not as the client wants it. */
        REQUEST("request", ForwardReason.REQUEST);

        private final String label;
        private final ForwardReason forwardReason;

        RevalidateReason(String label, ForwardReason forwardReason) {
            this.label = label;
            this.forwardReason = forwardReason;
        }

        ForwardReason forwardReason() {
            return forwardReason;
        }

        /** As logs and metrics print it. */
        public String label() {
            return label;
        }
    }

    /** Why nothing stored answers. */
    enum MissReason {
        /** Nothing is stored under the key. */
        URI_MISS("uri-miss", ForwardReason.URI_MISS),
        /** Something is stored under the key, but for other selecting fields. */
        VARY_MISS("vary-miss", ForwardReason.VARY_MISS),
        /** What is stored is stale past its grace, and there is nothing to validate it by. */
        STALE("stale", ForwardReason.STALE),
        /** What is stored is fresh, but not as the client wants it, and cannot be validated. */
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

        /** As logs and metrics print it. */
        public String label() {
            return label;
        }
    }

    /** Why a request goes past the cache. */
    enum PassReason {
        /** Neither GET nor HEAD. */
        METHOD("method", ForwardReason.METHOD),
        /** A GET or HEAD with a body. */
        BODY("body", ForwardReason.BYPASS),
        /** The key's last answer could not be stored; see hit-for-miss. */
        HIT_FOR_MISS("hit-for-miss", ForwardReason.MISS),
        /** A HEAD for which nothing usable is stored: its answer has no body to keep. */
        HEAD("head", ForwardReason.MISS),
        /** A condition only the origin can judge: If-Match, If-Unmodified-Since. */
        CONDITION("condition", ForwardReason.BYPASS),
        /** A part of the body on a route where parts are passed through. */
        RANGE("range", ForwardReason.MISS),
        /** What is stored is in a content coding that the client cannot take, and we not undo. */
        CODING("coding", ForwardReason.VARY_MISS),
        /** Whoever asks, a client or the page of a fragment, wants the answer not to be stored. */
        NO_STORE("no-store", ForwardReason.BYPASS);

        private final String label;
        private final ForwardReason forwardReason;

        PassReason(String label, ForwardReason forwardReason) {
            this.label = label;
            this.forwardReason = forwardReason;
        }

        ForwardReason forwardReason() {
            return forwardReason;
        }

        /** As logs and metrics print it. */
        public String label() {
            return label;
        }
    }
}
