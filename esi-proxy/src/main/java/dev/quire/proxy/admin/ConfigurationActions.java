package dev.quire.proxy.admin;

import dev.quire.proxy.config.ConfigurationText;
import dev.quire.proxy.config.Problem;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The operations on the configuration of the running proxy. Thread-safe; may block. */
public interface ConfigurationActions {

    /** The result of an operation. */
    sealed interface Outcome {

        /**
         * A generation is in use.
         *
         * @param isChanged false if it was in use before
         * @param confirmWithin empty unless it is taken back without a confirmation
         * @param warnings what does not make it invalid
         */
        record InUse(
                long generation,
                boolean isChanged,
                Optional<Duration> confirmWithin,
                List<Problem> warnings)
                implements Outcome {}

        /** It could be used; nothing has changed. */
        record Valid(long generation, List<Problem> warnings) implements Outcome {}

        /** It cannot be used; nothing has changed. At least one problem. */
        record Invalid(List<Problem> problems) implements Outcome {}

        /** It does not fit the state of the proxy; nothing has changed. */
        record Conflict(String what, String expected) implements Outcome {}

        /** Another generation is in use than the request names; nothing has changed. */
        record Superseded(long generation) implements Outcome {}
    }

    /** Reads the file of the command line again and uses it. */
    Outcome reload(ReloadTerms terms, boolean dryRun);

    /**
     * Uses {@code text}, with the options of the command line.
     *
     * @param expected the generation that must be in use; empty for any
     */
    Outcome use(ConfigurationText text, OptionalLong expected, ReloadTerms terms, boolean dryRun);

    /** Keeps the generation that awaits a confirmation. */
    Outcome confirm();

    /**
     * Uses an earlier generation again.
     *
     * @param generation empty for the one before the current
     */
    Outcome rollback(OptionalLong generation);

    /** The generations that can be used again and the current one, newest first. */
    List<Generation> generations();

    /** The text of the current generation; secrets are masked. */
    CurrentText current();

    /** The whole current configuration with its defaults, as YAML; secrets are masked. */
    CurrentText effective();

    /** A YAML text of the generation {@code number}. */
    record CurrentText(long number, String yaml) {}

    /**
     * One generation.
     *
     * @param age since it was made
     * @param by {@code start}, {@code reload} or {@code post}
     * @param before the generation that it replaced; 0 for none
     * @param bytes of its text
     * @param confirmWithin the time left for a confirmation; empty if it awaits none
     */
    record Generation(
            long number,
            Duration age,
            String by,
            long before,
            int bytes,
            boolean current,
            Optional<Duration> confirmWithin) {}
}
