package dev.quire.spring.invalidate;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Invalidates tags and URLs at the surrogates when the method has succeeded. Inside a transaction
 * they are sent after the commit, and not at all after a rollback. Without one they are sent when
 * the method returns, or when the {@code CompletionStage} that it returns completes. The annotation
 * is repeatable and may be a meta-annotation.
 *
 * <p>Keys are SpEL templates over the method's arguments and {@code #result}: {@code
 * article-#{#id}}. A template that is a single expression may give several keys as a collection, or
 * none as null or the empty text. A malformed template stops the application from starting, as does
 * a method that returns another kind of result before its work is done.
 *
 * <p>As with all Spring advice, it applies only to calls from outside the bean.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(InvalidatesFragments.All.class)
public @interface InvalidatesFragments {

    /** The tags to invalidate, without blanks and commas, of at most 256 characters each. */
    String[] tags() default {};

    /**
     * The URLs to invalidate, as clients request them. One that begins with a slash is resolved
     * against each of {@code quire.invalidation.sites}, or against the site of the current request.
     */
    String[] urls() default {};

    Invalidation.Mode mode() default Invalidation.Mode.HARD;

    /** Container of several annotations on one method. */
    @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Documented
    @interface All {

        /** The annotations. */
        InvalidatesFragments[] value();
    }
}
