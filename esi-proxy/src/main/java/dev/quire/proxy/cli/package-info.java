/** The command line: commands, options, exit status, signals. Does not contain the proxy itself. */
@NullMarked
package dev.quire.proxy.cli;

import org.jspecify.annotations.NullMarked;
