/** Makes every buffer that a test leaves behind fail the build. */
@NullMarked
package dev.quire.proxy.leaks;

import org.jspecify.annotations.NullMarked;
