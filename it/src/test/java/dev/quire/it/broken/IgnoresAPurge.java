package dev.quire.it.broken;

/** Has no index of tags, and says nothing of it. */
final class IgnoresAPurge extends Defect {

    @Override
    boolean heedsTags() {
        return false;
    }
}
