package dev.quire.core.rule;

/** The requests to which a rule applies. */
public enum Audience {
    CLIENT,
    FRAGMENT,
    BOTH;

    /** Whether a request at {@code level} belongs to it; level 0 is a page. */
    boolean includes(int level) {
        return switch (this) {
            case CLIENT -> level == 0;
            case FRAGMENT -> level > 0;
            case BOTH -> true;
        };
    }
}
