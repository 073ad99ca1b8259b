/** Pages for load tests, with one statement that takes as long as the page. */
@NullMarked
package dev.quire.news.load;

import org.jspecify.annotations.NullMarked;
