@NullMarked
package dev.quire.test.junit;

import org.jspecify.annotations.NullMarked;
