package dev.quire.proxy.tls;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;

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
            for (var file : files(matching)) {
                var relative = folder.relativize(file).toString();
                var name = relative.substring(star, relative.length() - after);
                pairs.add(new Pair(file, folder.resolve(key.replace("*", name))));
            }
            if (pairs.size() > MAX_PAIRS) {
                throw new UnusableFile(
                        folder, "has more than 1,000 files " + certificate, "at most 1,000");
            }
            return pairs;
        }

        /** In order, one more than the most. */
        private List<Path> files(PathMatcher matching) throws UnusableFile {
            var files = new TreeSet<Path>();
            var unreadable = new AtomicReference<>(folder);
            var visitor =
                    new SimpleFileVisitor<Path>() {
                        @Override
                        public FileVisitResult visitFile(
                                Path file, BasicFileAttributes attributes) {
                            if (matching.matches(folder.relativize(file))) {
                                files.add(file);
                            }
                            return files.size() > MAX_PAIRS
                                    ? FileVisitResult.TERMINATE
                                    : FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFileFailed(Path file, IOException fault)
                                throws IOException {
                            // A link to a folder above it contains nothing else.
                            if (fault instanceof FileSystemLoopException) {
                                return FileVisitResult.CONTINUE;
                            }
                            unreadable.set(file);
                            throw fault;
                        }
                    };
            try {
                Files.walkFileTree(folder, Set.of(FileVisitOption.FOLLOW_LINKS), DEPTH, visitor);
            } catch (IOException e) {
                throw new UnusableFile(unreadable.get(), "cannot be read", "a readable folder");
            }
            return List.copyOf(files);
        }
    }

    /** The files that are there now. Blocks. */
    List<Pair> pairs() throws UnusableFile;
}
