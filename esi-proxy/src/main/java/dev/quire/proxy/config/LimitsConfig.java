package dev.quire.proxy.config;

/**
 * The {@code limits} section.
 *
 * @param bodyBytes a longer request body is refused; 0 for no limit
 */
public record LimitsConfig(long bodyBytes) {

    static final LimitsConfig DEFAULTS = new LimitsConfig(16 << 20);
}
