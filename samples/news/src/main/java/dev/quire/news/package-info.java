/**
 * An election-night news site, cut into fragments that are cached for their own time. Starts the
 * application; the features stand in packages of their own.
 */
@NullMarked
package dev.quire.news;

import org.jspecify.annotations.NullMarked;
