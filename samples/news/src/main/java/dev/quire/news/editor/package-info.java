/**
 * The newsroom: what editors change in the paper. Leaves to others: storing articles and saying
 * which pages a change makes untrue.
 */
@NullMarked
package dev.quire.news.editor;

import org.jspecify.annotations.NullMarked;
