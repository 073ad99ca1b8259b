package dev.quire.bench.peers;

import dev.quire.bench.CannotMeasure;
import java.nio.file.Path;

/** The folder of the project; {@code bin/bench} names it in the property {@code quire.root}. */
final class Root {

    private Root() {}

    static Path folder() throws CannotMeasure {
        var root = System.getProperty("quire.root");
        if (root == null) {
            throw new CannotMeasure("the property quire.root is not set (start with bin/bench)");
        }
        return Path.of(root);
    }
}
