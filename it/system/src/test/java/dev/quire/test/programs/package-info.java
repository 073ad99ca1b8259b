/**
 * Installed programs as processes on free ports of the loopback, each with a folder of its own. Not
 * responsible for: what they are asked, which their users decide.
 */
@NullMarked
package dev.quire.test.programs;

import org.jspecify.annotations.NullMarked;
