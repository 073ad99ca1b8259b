/**
 * Conditions and templates of rules that are CEL expressions. Wraps the library, which is loaded
 * when the first expression is compiled. The core decides which values an expression can read.
 */
@NullMarked
package dev.quire.proxy.cel;

import org.jspecify.annotations.NullMarked;
