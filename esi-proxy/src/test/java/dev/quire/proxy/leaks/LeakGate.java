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
 * Ends the tests of a module: what Netty's leak detector has reported, and what is still open when
 * all threads have had their time, fails the build. JUnit finds it by {@code META-INF/services},
 * before any class of Netty is initialised; what it throws at the end of the session ends the JVM
 * of the tests in error.
 *
 * <p>It counts buffers, not the memory of the pools: they keep what they have. Of memory that is
 * not pooled, which is that of the store, all bytes must be back.
 */
public final class LeakGate implements LauncherSessionListener, TestExecutionListener {
    /** Threads that are told to end may still hold something for a moment. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Duration POLL = Duration.ofMillis(20);
    private static final int COLLECTIONS = 2;
    private static final int MOST_TRACES = 10;

    /** One for all sessions of this JVM: Netty asks for its detectors once. */
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
     * @throws IllegalStateException with all that has been found
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
                .limit(MOST_TRACES)
                .map(LeakGate::withoutFrameworks)
                .forEach(findings::add);
        if (!findings.isEmpty()) {
            throw new IllegalStateException(
                    findings.stream()
                            .collect(Collectors.joining("\n", "the tests have leaked:\n", "\n")));
        }
    }

    /** A gate that sees nothing would let everything pass. */
    private static void probe(List<String> findings) {
        int before = BUFFERS.open().size();
        var seen = Unpooled.directBuffer(1);
        if (BUFFERS.open().size() == before) {
            findings.add(
                    "a direct buffer was not seen: expected level PARANOID and the detectors"
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
            // A detector looks at what was collected whenever something is allocated.
            Unpooled.directBuffer(1).release();
            ByteBufAllocator.DEFAULT.directBuffer(1).release();
        }
    }

    private static List<Opened> leaked() {
        return BUFFERS.open().stream().filter(opened -> !opened.isConstant()).toList();
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

    /** A trace is long where it matters to nobody. */
    private static String withoutFrameworks(String trace) {
        return trace.lines()
                .filter(line ->
                        !line.strip().startsWith("org.junit.")
                                && !line.strip().startsWith("org.apache.maven.")
                                && !line.strip().startsWith("java.base/")
                                && !line.strip().startsWith("dev.quire.proxy.leaks."))
                .collect(Collectors.joining("\n"));
    }

    /** What the stores and everything else hold unpooled, but for constants. */
    private static long unpooledBytes() {
        long ofConstants =
                BUFFERS.open().stream()
                        .filter(opened -> opened.isUnpooled() && opened.isConstant())
                        .mapToLong(Opened::bytes)
                        .sum();
        return UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - ofConstants;
    }
}
