/**
 * An election-night news site, cut into fragments, each cached for its own time. Starts the
 * application; each feature has its own package.
 */
@NullMarked
package dev.quire.news;

import org.jspecify.annotations.NullMarked;
