package dev.quire.test.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The site that the tests of a class ask, as a static field or a static method without parameters,
 * of type {@link dev.quire.test.EsiSite}. A method is called once for a run of the class, and what
 * it gives is closed behind its last test; what a field holds is only emptied then, because a class
 * that runs again finds it as it was left. A class inherits the site of its superclass, and a
 * nested class that of the class it is nested in.
 */
@Target({ElementType.FIELD, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface TestedSite {}
