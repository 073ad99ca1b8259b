package dev.quire.proxy.leaks;

import dev.quire.proxy.leaks.OpenBuffers.Opened;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Fails the test run of a module if Netty's leak detector has reported leaks, or if buffers are
 * still open after all threads have had time to release them. JUnit finds it through {@code
 * META-INF/services}, before any Netty class is initialised; an exception at the end of the session
 * fails the JVM.
 *
 * <p>Counts buffers, not the memory of pools, which keep theirs. Of unpooled memory, which the
 * store uses, all bytes must be released.
 */
public final class LeakGate implements LauncherSessionListener, TestExecutionListener {
    /** Stopping threads may hold buffers for a moment. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Duration POLL = Duration.ofMillis(20);
    private static final int COLLECTIONS = 2;
    private static final int MOST_TRACES = 10;

    /** Lettuce does not release the read buffer of a connection made while its client ends. */
    private static final int MOST_OF_LETTUCE = 4;

    /** Shared by all sessions of this JVM: Netty requests its detectors once. */
    private static final OpenBuffers BUFFERS = new OpenBuffers();

    private boolean hasRun;

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(BUFFERS);
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        session.getLauncher().registerTestExecutionListeners(this);
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        hasRun = true;
        test.getSource()
                .filter(ClassSource.class::isInstance)
                .map(ClassSource.class::cast)
                .ifPresent(source -> BUFFERS.enter(source.getClassName()));
    }

    /**
     * @throws IllegalStateException with all leaks found
     */
    @Override
    public void launcherSessionClosed(LauncherSession session) {
        if (!hasRun) {
            return;
        }
        BUFFERS.enter("the end of all tests");
        var findings = new ArrayList<String>();
        probe(findings);
        awaitAllReleased();
        collect();
        open(findings);
        BUFFERS.reports().stream()
                .filter(report -> !report.contains(OpenBuffers.READER_OF_LETTUCE + '.'))
                .limit(MOST_TRACES)
                .map(LeakGate::withoutFrameworks)
                .forEach(findings::add);
        if (!findings.isEmpty()) {
            throw new IllegalStateException(
                    findings.stream()
                            .collect(Collectors.joining("\n", "the tests have leaked:\n", "\n")));
        }
    }

    /** Verifies that leaks are detected at all. */
    private static void probe(List<String> findings) {
        int before = BUFFERS.open().size();
        var seen = Unpooled.directBuffer(1);
        if (BUFFERS.open().size() == before) {
            findings.add(
                    "a direct buffer was not detected: expected level PARANOID and the detectors"
                            + " of this gate, found level "
                            + ResourceLeakDetector.getLevel()
                            + " and "
                            + ResourceLeakDetectorFactory.instance());
        }
        seen.release();
    }

    private static void awaitAllReleased() {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!(leaked().isEmpty() && unpooledBytes() == 0) && System.nanoTime() < end) {
            LockSupport.parkNanos(POLL.toNanos());
        }
    }

    private static void collect() {
        long end = System.nanoTime() + PATIENCE.toNanos();
        for (int i = 0; i < COLLECTIONS; i++) {
            var canary = new WeakReference<>(new Object());
            while (!canary.refersTo(null) && System.nanoTime() < end) {
                System.gc();
                LockSupport.parkNanos(POLL.toNanos());
            }
            // A detector checks collected buffers at the next allocation.
            Unpooled.directBuffer(1).release();
            ByteBufAllocator.DEFAULT.directBuffer(1).release();
        }
    }

    private static List<Opened> leaked() {
        var open = BUFFERS.open().stream().filter(opened -> !opened.isConstant()).toList();
        return open.stream().filter(Opened::isOfLettuce).count() > MOST_OF_LETTUCE
                ? open
                : open.stream().filter(opened -> !opened.isOfLettuce()).toList();
    }

    private static void open(List<String> findings) {
        var byTest = new TreeMap<String, List<Opened>>();
        leaked().forEach(opened ->
                byTest.computeIfAbsent(opened.test(), test -> new ArrayList<>()).add(opened));
        byTest.forEach((test, opened) ->
                findings.add(
                        opened.size()
                                + " still open, of "
                                + opened.stream().mapToLong(Opened::bytes).sum()
                                + " bytes, opened in "
                                + test
                                + "; the first is a "
                                + opened.getFirst().type()
                                + withoutFrameworks(opened.getFirst().trace())));
        long unpooledBytes = unpooledBytes();
        if (unpooledBytes != 0) {
            findings.add(
                    unpooledBytes
                            + " bytes of unpooled direct memory are used beyond those of constants");
        }
    }

    /** Removes the frames of test frameworks and the JDK. */
    private static String withoutFrameworks(String trace) {
        return trace.lines()
                .filter(line ->
                        !line.strip().startsWith("org.junit.")
                                && !line.strip().startsWith("org.apache.maven.")
                                && !line.strip().startsWith("java.base/")
                                && !line.strip().startsWith("dev.quire.proxy.leaks."))
                .collect(Collectors.joining("\n"));
    }

    /** The unpooled memory in use, except for constants. */
    private static long unpooledBytes() {
        long ofConstants =
                BUFFERS.open().stream()
                        .filter(opened -> opened.isUnpooled() && opened.isConstant())
                        .mapToLong(Opened::bytes)
                        .sum();
        return UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - ofConstants;
    }
}
