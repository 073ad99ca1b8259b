package dev.quire.it.broken;

/** Fetches for each reader who comes while another is under way. */
final class DoesNotCoalesce extends Defect {

    @Override
    boolean coalesces() {
        return false;
    }
}
