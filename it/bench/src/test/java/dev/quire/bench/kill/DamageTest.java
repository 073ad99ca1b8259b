package dev.quire.bench.kill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamageTest {
    @TempDir private Path directory;

    @Test
    void eachKindIsAppliedAndChangesFiles() throws IOException {
        var foreign = Files.createDirectory(directory.resolve("foreign"));
        Files.writeString(foreign.resolve("journal.log"), "other");
        var seen = EnumSet.noneOf(Damage.class);
        for (int seed = 0; seed < 200; seed++) {
            var tier = Files.createDirectory(directory.resolve("tier-" + seed));
            for (var name : new String[] {"1.seg", "1.idx", "journal.log", "journal.end", "lock"}) {
                Files.write(tier.resolve(name), new byte[10_000]);
            }
            var before = contents(tier);

            var kinds = Damage.damage(tier, foreign, new SplittableRandom(seed));

            assertThat(kinds).isNotEmpty();
            assertThat(contents(tier)).isNotEqualTo(before).containsEntry("lock", hash(10_000));
            seen.addAll(kinds);
        }
        assertThat(seen).containsExactlyInAnyOrder(Damage.values());
    }

    @Test
    void emptyDirectoryAndEmptyFilesAreLeftAsTheyAre() throws IOException {
        Files.createFile(directory.resolve("1.seg"));

        for (int seed = 0; seed < 50; seed++) {
            Damage.damage(directory, directory.resolve("absent"), new SplittableRandom(seed));
        }

        assertThat(contents(directory)).containsOnlyKeys("1.seg");
    }

    private static Map<String, Integer> contents(Path folder) throws IOException {
        var contents = new HashMap<String, Integer>();
        try (var files = Files.list(folder)) {
            for (var file : files.toList()) {
                var name = String.valueOf(file.getFileName());
                contents.put(name, Arrays.hashCode(Files.readAllBytes(file)));
            }
        }
        return contents;
    }

    private static int hash(int zeros) {
        return Arrays.hashCode(new byte[zeros]);
    }
}
