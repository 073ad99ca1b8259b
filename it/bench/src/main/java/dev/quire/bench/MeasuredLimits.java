package dev.quire.bench;

import java.util.ArrayList;
import java.util.List;

/** Prints figures, and keeps those that are beyond their limit. */
public final class MeasuredLimits {
    private final List<String> failures = new ArrayList<>();

    /** Prints {@code line}. */
    public void check(boolean holds, String line) {
        System.out.println(line);
        if (!holds) {
            failures.add(line);
        }
    }

    public void failed(String failure) {
        failures.add(failure);
    }

    /** Prints the failures; returns the exit status. */
    public int ended() {
        failures.forEach(failure -> System.out.println("FAILED: " + failure));
        if (failures.isEmpty()) {
            System.out.println("all limits hold");
        }
        return failures.isEmpty() ? 0 : 1;
    }
}
