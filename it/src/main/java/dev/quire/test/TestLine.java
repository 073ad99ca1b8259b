package dev.quire.test;

import java.security.CodeSource;
import org.jspecify.annotations.Nullable;

/** The line of a test that brought the harness to where it is, for messages. */
final class TestLine {
    private static final StackWalker WALKER =
            StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private TestLine() {}

    /** The innermost line that is not the harness's own, as {@code FrontPageTest.java:31}. */
    static String here() {
        return WALKER.walk(frames ->
                frames.filter(frame -> !isOurs(frame.getDeclaringClass()))
                        .findFirst()
                        .map(frame -> frame.getFileName() + ":" + frame.getLineNumber())
                        .orElse("an unknown line"));
    }

    /** What comes from where this class comes from. */
    private static boolean isOurs(Class<?> type) {
        @Nullable CodeSource place = TestLine.class.getProtectionDomain().getCodeSource();
        @Nullable CodeSource its = type.getProtectionDomain().getCodeSource();
        return place != null && its != null && place.getLocation().equals(its.getLocation());
    }
}
