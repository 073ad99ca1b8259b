package dev.quire.news.blog;

/**
 * A post with all that a list shows.
 *
 * @param cover an SVG picture
 * @param minutes to read it
 * @param comments their number
 */
record Card(Post post, Terms terms, String cover, int minutes, long comments) {}
