package dev.quire.core.parse;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A test that feeds its page whole and again in pieces of several sizes. */
@ParameterizedTest(name = "in pieces of {0} bytes")
@ValueSource(ints = {Integer.MAX_VALUE, 1, 2, 3, 7, 16})
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface InPieces {}
