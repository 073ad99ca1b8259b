@NullMarked
package dev.quire.test.spring;

import org.jspecify.annotations.NullMarked;
