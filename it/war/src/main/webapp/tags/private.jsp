<%@ page session="false" contentType="text/html; charset=UTF-8" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="esi" uri="https://quire.dev/esi" %>
<esi:control ttl="30s" scope="private"/>mine