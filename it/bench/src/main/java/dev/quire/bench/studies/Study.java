package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import java.io.IOException;

/** The replay of one case. */
interface Study {

    /** Its name on the command line, in names of files and in the folder of its text. */
    String name();

    /** The title of its chapter. */
    String title();

    /**
     * How often each server is measured.
     *
     * @param asked for all studies
     */
    default int rounds(int asked) {
        return asked;
    }

    /** Starts all servers, measures, and stops them. */
    Findings run(Stage stage) throws CannotMeasure, IOException, InterruptedException;
}
