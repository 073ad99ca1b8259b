package dev.quire.spring.invalidate;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What surrogates store of these tags and URLs is no longer true once the method has succeeded. In
 * a transaction it is sent after the commit, and a rollback sends nothing; without one it is sent
 * when the method returns, or when the {@code CompletionStage} that it returns completes. It may
 * stand on another annotation, and several times on one method.
 *
 * <p>Keys are SpEL templates over the method's arguments and {@code #result}: {@code
 * article-#{#id}}. A template that is one expression may give several keys, as a collection, or
 * none: null or the empty text. A wrong template stops the application from starting, as does a
 * method that returns something else before its work is done.
 *
 * <p>As with every advice of Spring, the call has to come from outside the bean.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(InvalidatesFragments.All.class)
public @interface InvalidatesFragments {

    /** Tags of what is invalidated. Neither blanks nor commas. */
    String[] tags() default {};

    /**
     * URLs of what is invalidated, as clients ask for them. One that begins with a slash is
     * invalidated below each of {@code quire.invalidation.sites}, or where the current request came
     * to.
     */
    String[] urls() default {};

    /** How it is invalidated. */
    Invalidation.Mode mode() default Invalidation.Mode.HARD;

    /** Several on one method. */
    @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @interface All {

        /** Each of them. */
        InvalidatesFragments[] value();
    }
}
