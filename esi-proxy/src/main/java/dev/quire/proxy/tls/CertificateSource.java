package dev.quire.proxy.tls;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where certificates and their keys are. */
public sealed interface CertificateSource {

    /** The files of a certificate and its key. */
    record Pair(Path certificate, Path key) implements CertificateSource {
        @Override
        public List<Pair> pairs() {
            return List.of(this);
        }
    }

    /**
     * The files in the folders below {@code folder}. {@code *} in both patterns is the same name.
     *
     * @param certificate such as {@code *}{@code /fullchain.pem}
     * @param key such as {@code *}{@code /privkey.pem}
     */
    record Folder(Path folder, String certificate, String key) implements CertificateSource {
        private static final int MAX_PAIRS = 1_000;
        private static final int DEPTH = 3;

        @Override
        public List<Pair> pairs() throws UnusableFile {
            var pairs = new ArrayList<Pair>();
            int star = certificate.indexOf('*');
            int after = certificate.length() - star - 1;
            var matching = FileSystems.getDefault().getPathMatcher("glob:" + certificate);
            try (var files =
                    Files.find(
                            folder,
                            DEPTH,
                            (file, attributes) -> matching.matches(folder.relativize(file)),
                            FileVisitOption.FOLLOW_LINKS)) {
                files.sorted()
                        .limit(MAX_PAIRS + 1L)
                        .forEach(file -> {
                            var relative = folder.relativize(file).toString();
                            var name = relative.substring(star, relative.length() - after);
                            pairs.add(new Pair(file, folder.resolve(key.replace("*", name))));
                        });
            } catch (IOException | UncheckedIOException e) {
                throw new UnusableFile(folder, "cannot be read", "a readable folder");
            }
            if (pairs.size() > MAX_PAIRS) {
                throw new UnusableFile(
                        folder, "has more than 1,000 files " + certificate, "at most 1,000");
            }
            return pairs;
        }
    }

    /** The files that are there now. Blocks. */
    List<Pair> pairs() throws UnusableFile;
}
