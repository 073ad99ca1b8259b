/**
 * The command line: commands, options, exit codes, signals. Leaves the proxy itself to the root.
 */
@NullMarked
package dev.quire.proxy.cli;

import org.jspecify.annotations.NullMarked;
