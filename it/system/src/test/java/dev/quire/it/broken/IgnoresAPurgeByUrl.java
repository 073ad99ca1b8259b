package dev.quire.it.broken;

/** Looks up the wrong key for a purge and finds nothing. */
final class IgnoresAPurgeByUrl extends Defect {

    @Override
    boolean heedsTargets() {
        return false;
    }
}
