package dev.quire.proxy.config;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * A configuration with its source, so that it can be read again.
 *
 * @param text from which it was built; empty for the options of the command line alone
 */
public record LoadedConfiguration(
        ConfigurationSource source, Optional<ConfigurationText> text, Configuration configuration) {

    /**
     * Reads the configuration from the command line and the file it names; options override the
     * file.
     *
     * @param warnings receives what does not make it invalid
     * @throws InvalidConfiguration with all problems, before anything is started
     */
    public static LoadedConfiguration of(Options options, Consumer<Problem> warnings)
            throws InvalidConfiguration {
        var source = new ConfigurationSource(options);
        var text = source.read();
        return new LoadedConfiguration(source, text, source.build(text, warnings));
    }
}
