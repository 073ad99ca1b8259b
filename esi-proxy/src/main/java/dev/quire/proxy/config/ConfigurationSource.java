package dev.quire.proxy.config;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * The source of the configurations of one process: its command line, whose options override every
 * text, and the file that it names.
 */
public final class ConfigurationSource {
    private final Options options;

    public ConfigurationSource(Options options) {
        this.options = options;
    }

    /**
     * Reads the file again; empty if the command line does not name one.
     *
     * @throws InvalidConfiguration if it cannot be read
     */
    public Optional<ConfigurationText> read() throws InvalidConfiguration {
        return text(options);
    }

    static Optional<ConfigurationText> text(Options options) throws InvalidConfiguration {
        if (options.file().isEmpty()) {
            return Optional.empty();
        }
        var file = options.file().get();
        return Optional.of(
                ConfigurationText.ofFile(
                        file, new ConfigurationFile(new Problems(file.toString())).text(file)));
    }

    /**
     * Builds the configuration of {@code text}. Environment variables, and files that it names
     * except included ones, are read again.
     *
     * @param text empty for the defaults
     * @param warnings receives what does not make a configuration invalid
     * @throws InvalidConfiguration with all problems
     */
    public Configuration build(Optional<ConfigurationText> text, Consumer<Problem> warnings)
            throws InvalidConfiguration {
        return ConfigurationReader.read(options, text, System::getenv, warnings);
    }

    /**
     * Returns the whole configuration of {@code text} as YAML: with the options of the command line
     * and all defaults, and without secrets.
     *
     * @throws InvalidConfiguration with all problems
     */
    public String effective(Optional<ConfigurationText> text) throws InvalidConfiguration {
        return EffectiveText.of(ConfigurationReader.shown(options, text, System::getenv));
    }

    /** Returns {@code text} without secrets. */
    public static String masked(ConfigurationText text) {
        return SecretMask.masked(text.text());
    }

    /** The options of the command line. */
    public Options options() {
        return options;
    }
}
