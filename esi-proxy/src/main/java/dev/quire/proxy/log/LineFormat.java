package dev.quire.proxy.log;

import dev.quire.proxy.config.LogConfig;

/** Formats an entry as one line, which nothing in the request can end or forge. */
@FunctionalInterface
interface LineFormat {

    /** Returns the line, visible ASCII with a line feed at its end. */
    byte[] of(AccessEntry entry);

    static LineFormat of(LogConfig config) {
        return switch (config.format()) {
            case JSON -> new JsonLine(config.fragments(), config.slow(), LoggedUrls.of(config));
            case COMBINED -> new CombinedLine(LoggedUrls.of(config));
        };
    }
}
