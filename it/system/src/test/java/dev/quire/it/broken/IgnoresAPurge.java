package dev.quire.it.broken;

/** Has no index of tags, and ignores purges by tags silently. */
final class IgnoresAPurge extends Defect {

    @Override
    boolean heedsTags() {
        return false;
    }
}
