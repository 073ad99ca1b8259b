package dev.quire.it.broken;

/** Fetches for each of several concurrent requests. */
final class DoesNotCoalesce extends Defect {

    @Override
    boolean coalesces() {
        return false;
    }
}
