package dev.quire.news.writing;

import java.util.List;
import java.util.SplittableRandom;

/** Pseudo-random choices, the same on every start. Not thread-safe. */
final class Dice {
    private final SplittableRandom random;

    private Dice(long seed) {
        random = new SplittableRandom(seed);
    }

    /** The dice for text {@code number} of a kind. */
    static Dice of(String kind, int number) {
        return new Dice(0x2012_1219L * 31 + kind.hashCode() * 1_000_003L + number);
    }

    /** A number from {@code low} to {@code high}, both included. */
    int between(int low, int high) {
        return random.nextInt(low, high + 1);
    }

    <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    String oneOf(String first, String... others) {
        int choice = random.nextInt(others.length + 1);
        return choice == 0 ? first : others[choice - 1];
    }
}
