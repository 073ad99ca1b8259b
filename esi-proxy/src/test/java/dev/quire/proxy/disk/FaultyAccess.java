package dev.quire.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Real files that fail when a test says so, and count those that are open. */
final class FaultyAccess implements FileAccess {
    /** Bytes that may be written before the file system is full. */
    final AtomicLong space = new AtomicLong(Long.MAX_VALUE);

    final AtomicLong open = new AtomicLong();

    /** Whether deleted files leave their space to others. */
    volatile boolean isSpaceFreed;

    volatile @Nullable String writeFailure;
    volatile @Nullable String truncateFailure;
    volatile @Nullable String readFailure;
    volatile @Nullable String deleteFailure;

    /** A look at the free space, with which a log is opened, waits for it. */
    volatile @Nullable CountDownLatch hanging;

    /** A file is closed once this is over, or after ten seconds. */
    volatile CountDownLatch closing = new CountDownLatch(0);

    /** A file is deleted once this is over, or after ten seconds. */
    volatile CountDownLatch deleting = new CountDownLatch(0);

    /** Files that were deleted, or are being deleted. */
    final AtomicLong deletions = new AtomicLong();

    /** Waits until so many files are open: another thread closes those that readers had. */
    void awaitOpen(long files) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (open.get() != files && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(100_000);
        }
        assertThat(open).hasValue(files);
    }

    /** Waits until a file is being deleted. */
    void awaitDeletion() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (deletions.get() == 0 && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(100_000);
        }
        assertThat(deletions).doesNotHaveValue(0);
    }

    @Override
    public FileChannel open(Path file) throws IOException {
        var channel = new Faulty(FileAccess.SYSTEM.open(file));
        open.incrementAndGet();
        return channel;
    }

    @Override
    public void delete(Path file) throws IOException {
        failIf(deleteFailure);
        deletions.incrementAndGet();
        awaitOrEnd(deleting);
        if (isSpaceFreed && Files.exists(file)) {
            space.addAndGet(Files.size(file));
        }
        FileAccess.SYSTEM.delete(file);
    }

    private static void awaitOrEnd(CountDownLatch latch) {
        try {
            if (!latch.await(10, TimeUnit.SECONDS)) {
                latch.countDown();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void failIf(@Nullable String failure) throws IOException {
        if (failure != null) {
            throw new IOException(failure);
        }
    }

    @Override
    public Space space(Path directory) {
        var end = hanging;
        if (end != null) {
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        long usable = Math.min(space.get(), 1L << 40);
        return new Space(usable, usable);
    }

    private final class Faulty extends FileChannel {
        private final FileChannel file;

        Faulty(FileChannel file) {
            this.file = file;
        }

        @Override
        public int write(ByteBuffer in, long position) throws IOException {
            failIf(writeFailure);
            // As Linux does: as much as there is space for, then an error.
            int possible = (int) Math.min(in.remaining(), space.get());
            if (possible == 0 && in.hasRemaining()) {
                throw new IOException("No space left on device");
            }
            int written = file.write(in.slice(in.position(), possible), position);
            in.position(in.position() + written);
            space.addAndGet(-written);
            return written;
        }

        @Override
        public int read(ByteBuffer out, long position) throws IOException {
            failIf(readFailure);
            return file.read(out, position);
        }

        @Override
        public FileChannel truncate(long size) throws IOException {
            failIf(writeFailure);
            failIf(truncateFailure);
            file.truncate(size);
            return this;
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        protected void implCloseChannel() throws IOException {
            awaitOrEnd(closing);
            open.decrementAndGet();
            file.close();
        }

        @Override
        public int read(ByteBuffer out) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long read(ByteBuffer[] out, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int write(ByteBuffer in) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long write(ByteBuffer[] in, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long position() {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileChannel position(long position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void force(boolean metaData) throws IOException {
            failIf(writeFailure);
            file.force(metaData);
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target)
                throws IOException {
            failIf(readFailure);
            return file.transferTo(position, count, target);
        }

        @Override
        public long transferFrom(ReadableByteChannel source, long position, long count) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MappedByteBuffer map(MapMode mode, long position, long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock lock(long position, long size, boolean shared) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock tryLock(long position, long size, boolean shared) {
            throw new UnsupportedOperationException();
        }
    }
}
