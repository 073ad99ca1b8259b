package dev.quire.bench.peers;

/** The language in which a target wants to be told where fragments stand. */
enum Dialect {
    ESI,
    SSI,
    /** It assembles nothing. */
    NONE;

    /** The tag for the fragment at {@code source}. */
    String include(String source) {
        return switch (this) {
            case ESI -> "<esi:include src=\"" + source + "\"/>";
            case SSI -> "<!--# include virtual=\"" + source + "\" -->";
            case NONE ->
                    throw new IllegalStateException(
                            "cannot make a page for a target that assembles nothing: " + source);
        };
    }

    /** As it stands in paths and in the heads of target scripts. */
    String word() {
        return switch (this) {
            case ESI -> "esi";
            case SSI -> "ssi";
            case NONE -> "none";
        };
    }
}
