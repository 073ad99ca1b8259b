package dev.quire.bench.peers;

/** The include language of a target. */
public enum Dialect {
    ESI,
    SSI,
    /** The target does not assemble pages. */
    NONE;

    /** Returns the tag for the fragment at {@code source}. */
    String include(String source) {
        return switch (this) {
            case ESI -> "<esi:include src=\"" + source + "\"/>";
            case SSI -> "<!--# include virtual=\"" + source + "\" -->";
            case NONE ->
                    throw new IllegalStateException(
                            "cannot make a page for a target that assembles nothing: " + source);
        };
    }

    /** Its name in paths and target scripts. */
    String word() {
        return switch (this) {
            case ESI -> "esi";
            case SSI -> "ssi";
            case NONE -> "none";
        };
    }
}
