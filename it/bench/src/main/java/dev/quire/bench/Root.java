package dev.quire.bench;

import java.nio.file.Path;

/** The folder of the project; {@code bin/bench} names it in the property {@code quire.root}. */
public final class Root {

    private Root() {}

    public static Path folder() throws CannotMeasure {
        var root = System.getProperty("quire.root");
        if (root == null) {
            throw new CannotMeasure("the property quire.root is not set (start with bin/bench)");
        }
        return Path.of(root);
    }
}
