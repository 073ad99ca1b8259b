package dev.quire.test.wire.internal;

import java.security.CodeSource;
import org.jspecify.annotations.Nullable;

/** Finds the line of the test that called the harness, for messages. */
public final class TestLine {
    private static final StackWalker WALKER =
            StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private TestLine() {}

    /** The innermost line outside the harness, as {@code FrontPageTest.java:31}. */
    public static String here() {
        return WALKER.walk(frames ->
                frames.filter(frame -> !isOurs(frame.getDeclaringClass()))
                        .findFirst()
                        .map(frame -> frame.getFileName() + ":" + frame.getLineNumber())
                        .orElse("an unknown line"));
    }

    /** Whether the class belongs to the harness, the JDK, or a test framework. */
    private static boolean isOurs(Class<?> type) {
        var name = type.getName();
        if (name.startsWith("org.junit.") || name.startsWith("org.springframework.")) {
            return true;
        }
        @Nullable CodeSource place = TestLine.class.getProtectionDomain().getCodeSource();
        @Nullable CodeSource its = type.getProtectionDomain().getCodeSource();
        return its == null || (place != null && place.getLocation().equals(its.getLocation()));
    }
}
