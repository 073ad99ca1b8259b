package dev.quire.core.policy;

/**
 * What to do about one request, with the reason that logs, metrics and {@code Cache-Status} print.
 *
 * @param <S> the stored response it speaks of
 */
public sealed interface CacheDecision<S> {

    /** Serve what is stored: it is fresh. */
    record Hit<S>(S stored) implements CacheDecision<S> {}

    /** Serve what is stored though stale, and refresh it meanwhile (RFC 5861 §3). */
    record StaleHit<S>(S stored) implements CacheDecision<S> {}

    /** Ask the origin whether what is stored still holds (RFC 9111 §4.3). */
    record Revalidate<S>(S stored, RevalidateReason reason) implements CacheDecision<S> {}

    /** Fetch, and store if the answer allows it. */
    record Miss<S>(MissReason reason) implements CacheDecision<S> {}

    /** Forward; nothing stored answers this, and nobody waits for its answer. */
    record Pass<S>(PassReason reason) implements CacheDecision<S> {}

    /** Its name, as logs and metrics print it. */
    default String label() {
        return switch (this) {
            case Hit<S> hit -> "hit";
            case StaleHit<S> stale -> "stale-hit";
            case Revalidate<S> old -> "revalidate";
            case Miss<S> miss -> "miss";
            case Pass<S> pass -> "pass";
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
        };
    }

    /** Why a stored response must be validated. */
    enum RevalidateReason {
        /** It is stale past its grace. */
        STALE("stale"),
        /** The origin wants to be asked every time. */
        NO_CACHE("no-cache");

        private final String label;

        RevalidateReason(String label) {
            this.label = label;
        }

        /** As logs and metrics print it. */
        public String label() {
            return label;
        }
    }

    /** Why nothing stored answers. */
    enum MissReason {
        /** Nothing is stored under the key. */
        URI_MISS("uri-miss"),
        /** Something is stored under the key, but for other selecting fields. */
        VARY_MISS("vary-miss"),
        /** What is stored is stale past its grace, and there is nothing to validate it by. */
        STALE("stale");

        private final String label;

        MissReason(String label) {
            this.label = label;
        }

        /** As logs and metrics print it. */
        public String label() {
            return label;
        }
    }

    /** Why a request goes past the cache. */
    enum PassReason {
        /** Neither GET nor HEAD. */
        METHOD("method"),
        /** A GET or HEAD with a body. */
        BODY("body"),
        /** The key's last answer could not be stored; see hit-for-miss. */
        HIT_FOR_MISS("hit-for-miss"),
        /** A HEAD for which nothing usable is stored: its answer has no body to keep. */
        HEAD("head"),
        /** A condition only the origin can judge: If-Match, If-Unmodified-Since. */
        CONDITION("condition"),
        /** A part of the body on a route where parts are passed through. */
        RANGE("range"),
        /** What is stored is in a content coding that the client cannot take, and we not undo. */
        CODING("coding"),
        /** The page that asks for the fragment wants it neither stored nor from the store. */
        NO_STORE("no-store");

        private final String label;

        PassReason(String label) {
            this.label = label;
        }

        /** As logs and metrics print it. */
        public String label() {
            return label;
        }
    }
}
