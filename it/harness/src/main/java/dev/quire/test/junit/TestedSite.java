package dev.quire.test.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The site for the tests of a class, as a static field or a static method without parameters, of
 * type {@link dev.quire.test.EsiSite}. A method is called once for a run of the class, and its site
 * is closed after the last test. The site in a field is only reset, so that the class can run
 * again. A class inherits the site of its superclass, and a nested class that of its enclosing
 * class.
 */
@Target({ElementType.FIELD, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface TestedSite {}
