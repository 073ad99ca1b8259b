package dev.quire.it.broken;

/** Looks under another name for what it is to drop, and finds nothing. */
final class IgnoresAPurgeByUrl extends Defect {

    @Override
    boolean heedsTargets() {
        return false;
    }
}
