package dev.quire.news.writing;

import dev.quire.news.place.Atlas;

/** Finds out what there is to write about: pure, the same for the same number and dice. */
@FunctionalInterface
interface Desk {
    /** The event that article {@code number} is about, counting from 0. */
    Assignment assign(int number, Dice dice, Atlas atlas);
}
