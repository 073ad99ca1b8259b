package dev.quire.proxy.cli;

import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles SIGTERM and SIGINT: the first requests a stop, the second ends the process at once. A
 * shutdown hook could do neither: the JVM would exit with 143 and ignore a second signal. SIGHUP
 * never ends the process.
 */
public final class Signals {
    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

    private final CountDownLatch asked = new CountDownLatch(1);
    private volatile Runnable whenHungUp = () -> {};

    /** Whether a signal has requested a stop. */
    private boolean isSignalled;

    private Signals() {}

    /** Installs handlers, so that the signals no longer end the process by themselves. */
    public static Signals caught() {
        var signals = new Signals();
        signals.handle("TERM", () -> signals.received(143));
        signals.handle("INT", () -> signals.received(130));
        signals.handle("HUP", () -> signals.whenHungUp.run());
        return signals;
    }

    /** Runs {@code reloading} at each SIGHUP from now on, on a separate thread. */
    public void onHangup(Runnable reloading) {
        whenHungUp = reloading;
    }

    /**
     * Requests a stop, as the first SIGTERM does. That signal does not end the process after it.
     */
    public void stop() {
        asked.countDown();
    }

    /** Waits until a stop is requested. */
    public void await() throws InterruptedException {
        asked.await();
    }

    /**
     * The JDK's only signal API is {@code sun.misc.Signal}. It is accessed by reflection because
     * the javac warning for it cannot be suppressed.
     */
    private void handle(String name, Runnable received) {
        try {
            var signalType = Class.forName("sun.misc.Signal");
            var handlerType = Class.forName("sun.misc.SignalHandler");
            var handler =
                    MethodHandleProxies.asInterfaceInstance(
                            handlerType,
                            MethodHandles.dropArguments(
                                    MethodHandles.lookup()
                                            .findVirtual(
                                                    Runnable.class,
                                                    "run",
                                                    MethodType.methodType(void.class))
                                            .bindTo(received),
                                    0,
                                    signalType));
            signalType
                    .getMethod("handle", signalType, handlerType)
                    .invoke(
                            null,
                            signalType.getConstructor(String.class).newInstance(name),
                            handler);
        } catch (ReflectiveOperationException e) {
            // A JVM with -Xrs, or without the module jdk.unsupported.
            LOG.atWarn()
                    .addKeyValue("event", "signal-unhandled")
                    .addKeyValue("signal", "SIG" + name)
                    .log("SIG{} cannot be handled and will stop the proxy without draining", name);
        }
    }

    /** Runs on a separate JVM thread for each signal. */
    private synchronized void received(int forcedExitCode) {
        if (isSignalled) {
            Runtime.getRuntime().halt(forcedExitCode);
        }
        isSignalled = true;
        asked.countDown();
    }
}
